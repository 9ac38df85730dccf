// The search box of every page and the search page. The engine and its data are loaded when a reader turns to a box.

import { find } from "./search/engine-loader";
import { SearchBox } from "./search/box";
import { SearchPage } from "./search/page";

customElements.define("apidiff-search", SearchBox);
customElements.define("apidiff-search-page", SearchPage);

// "/" and Ctrl+K lead to the box that can be seen; on the search page to the one of the page.
document.addEventListener("keydown", (event) => {
  const slash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey;
  const chord = event.key === "k" && (event.ctrlKey || event.metaKey);
  const goal = event.target as HTMLElement;
  if (!(chord || (slash && !goal.isContentEditable && !goal.closest("input, textarea, select")))) return;
  const fields = document.querySelectorAll<HTMLInputElement>("apidiff-search-page input, apidiff-search input");
  const shown = [...fields].filter((field) => field.getClientRects().length);
  const field = shown.find((one) => one.closest("apidiff-search-page")) ?? shown[0];
  if (!field) return;
  event.preventDefault();
  field.focus();
  field.select();
  void find();
});
