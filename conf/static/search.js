// The search page: Pagefind's interface, started with the words of the address (?q=…).
(() => {
  const place = document.getElementById("apidiff-search");
  if (window.location.protocol === "file:" || typeof PagefindUI === "undefined") {
    document.getElementById("apidiff-search-served").hidden = false;
    return;
  }
  const search = new PagefindUI({
    element: place,
    bundlePath: new URL(place.dataset.bundle, window.location.href).pathname,
    showImages: false,
    showSubResults: true,
    resetStyles: false,
    autofocus: true,
    // Pages of mappings are long because they are complete: length is no fault.
    ranking: { pageLength: 0.1 },
    translations: { placeholder: place.dataset.placeholder },
  });
  const words = new URLSearchParams(window.location.search).get("q");
  if (words) search.triggerSearch(words);
})();
