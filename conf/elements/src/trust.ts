// The age of run records, beside the dates that the server wrote.

// The date stands on the page; how long ago that is only the reader's clock knows.
const DAY = 24 * 60 * 60 * 1000;

function tellAges(): void {
  const words = new Intl.RelativeTimeFormat(document.documentElement.lang || "en", { numeric: "auto" });
  for (const place of document.querySelectorAll<HTMLElement>("#records time.apidiff-date")) {
    const date = Date.parse(place.getAttribute("datetime") ?? "");
    if (Number.isNaN(date)) continue;
    const days = Math.floor((Date.now() - date) / DAY);
    if (days < 0) continue;
    const age = document.createElement("span");
    age.className = "apidiff-age";
    age.textContent = days < 60 ? words.format(-days, "day") : words.format(-Math.floor(days / 30), "month");
    place.after(" ", age);
  }
}

tellAges();
