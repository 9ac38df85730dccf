// The language switch keeps the place on the page.

/** Gives the links to the page in other languages the versions and the anchor of the address. */
export function followAddress(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>("a[data-apidiff-language]")) {
    const page = link.getAttribute("href") ?? "";
    const follow = () => link.setAttribute("href", page + window.location.search + window.location.hash);
    follow();
    window.addEventListener("hashchange", follow);
    // Scrolling through the page changes the address without an event in some browsers.
    link.addEventListener("click", follow);
  }
}
