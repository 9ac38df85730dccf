// Marks, in the contents of the page, the section that is being read.
import { anchorOf } from "../shared/anchor";


export function followContents(): void {
  const contents = document.querySelector("#pst-page-toc-nav");
  if (!contents) return;
  const links = new Map<Element, HTMLAnchorElement>();
  for (const link of contents.querySelectorAll<HTMLAnchorElement>("a[href^='#']")) {
    const goal = document.getElementById(anchorOf(link.hash));
    const heading = goal?.querySelector("h1, h2, h3, h4, h5, h6") ?? goal;
    if (heading) links.set(heading, link);
  }
  const entries = [...contents.querySelectorAll(".toc-entry")];
  const mark = (chosen: HTMLAnchorElement) => {
    for (const link of links.values()) {
      link.classList.toggle("active", link === chosen);
      if (link === chosen) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    for (const entry of entries) entry.classList.toggle("active", entry.contains(chosen));
  };
  const byAddress = () => {
    const found = [...links.values()].find((link) => link.hash === window.location.hash);
    if (found) mark(found);
  };
  // A heading counts once it is in the upper third of the window, below the header.
  const header = document.querySelector("#pst-header")?.clientHeight ?? 0;
  const observer = new IntersectionObserver(
    (seen) => {
      const last = seen.filter((one) => one.isIntersecting).pop();
      const link = last && links.get(last.target);
      if (link) mark(link);
    },
    { rootMargin: `-${header}px 0px -70% 0px` },
  );
  for (const heading of links.keys()) observer.observe(heading);
  window.addEventListener("hashchange", byAddress);
  byAddress();
}
