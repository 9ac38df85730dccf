// The language switch keeps the place on the page, and tables can be filtered. All pages work without this file.
(() => {
  for (const link of document.querySelectorAll("a[data-apidiff-language]")) {
    const page = link.getAttribute("href");
    const follow = () => link.setAttribute("href", page + window.location.search + window.location.hash);
    follow();
    window.addEventListener("hashchange", follow);
    // Scrolling through the page changes the address without an event in some browsers.
    link.addEventListener("click", follow);
  }
  // An address may name a line that opens; what a browser opens by itself is only what lies around its goal.
  const openLine = () => {
    const line = document.getElementById(decodeURIComponent(window.location.hash.slice(1)));
    if (line?.matches("details.apidiff-line")) line.open = true;
  };
  openLine();
  window.addEventListener("hashchange", openLine);
  for (const part of document.querySelectorAll("[data-apidiff-filter]")) {
    const box = document.createElement("input");
    box.type = "search";
    box.className = "form-control apidiff-filter";
    box.placeholder = part.dataset.apidiffFilter;
    box.setAttribute("aria-label", box.placeholder);
    // An empty part filters the tables of the section it stands in.
    const scope = part.querySelector("table") ? part : part.parentElement;
    // Rows of tables, or lines that open; what a line holds is part of it.
    const found = [...scope.querySelectorAll("tbody > tr, details.apidiff-line")];
    const rows = found
      .filter((row) => !row.parentElement.closest("details.apidiff-line"))
      .map((row) => [row, row.textContent.toLowerCase()]);
    const sections = [...scope.querySelectorAll("section")].filter((one) => one.querySelector("tbody"));
    box.addEventListener("input", () => {
      const words = box.value.toLowerCase().split(/\s+/);
      for (const [row, text] of rows) row.hidden = !words.every((word) => text.includes(word));
      for (const one of sections) one.hidden = !one.querySelector("tbody > tr:not([hidden])");
    });
    part.prepend(box);
  }
})();
