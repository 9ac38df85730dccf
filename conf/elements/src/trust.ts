// Copy buttons that everybody can use, and the age of run records. Both work on what the server wrote.

// sphinx-copybutton makes its buttons late, names them by a title inside a picture, and tells of success in a tooltip that
// only a mouse sees. The words are those of its tooltip, which it has in the page's language.
function nameButtons(root: ParentNode, live: HTMLElement): void {
  for (const button of root.querySelectorAll<HTMLButtonElement>("button.copybtn:not([aria-label])")) {
    const name = button.dataset.tooltip ?? "";
    button.type = "button";
    button.setAttribute("aria-label", name);
    new MutationObserver(() => {
      const said = button.dataset.tooltip ?? "";
      live.textContent = said === name ? "" : said;
    }).observe(button, { attributes: true, attributeFilter: ["data-tooltip"] });
  }
}

function watchButtons(): void {
  const live = document.createElement("div");
  live.setAttribute("role", "status");
  live.className = "visually-hidden";
  document.body.append(live);
  nameButtons(document, live);
  new MutationObserver(() => nameButtons(document, live)).observe(document.body, { childList: true, subtree: true });
}

// The date stands on the page; how long ago that is only the reader's clock knows.
const DAY = 24 * 60 * 60 * 1000;

function tellAges(): void {
  const words = new Intl.RelativeTimeFormat(document.documentElement.lang || "en", { numeric: "auto" });
  for (const place of document.querySelectorAll<HTMLElement>(".apidiff-date")) {
    const date = Date.parse(place.textContent ?? "");
    if (Number.isNaN(date)) continue;
    const days = Math.floor((Date.now() - date) / DAY);
    if (days < 0) continue;
    const age = document.createElement("span");
    age.className = "apidiff-age";
    age.textContent = days < 60 ? words.format(-days, "day") : words.format(-Math.floor(days / 30), "month");
    place.after(" ", age);
  }
}

function start(): void {
  watchButtons();
  tellAges();
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();
