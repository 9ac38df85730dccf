// Says to screen readers what sphinx-copybutton shows: that a block of code was copied, or that it was not.

/** Watches the words of the buttons: they change when one is pressed, and back after two seconds. */
export function announceCopying(): void {
  const status = document.createElement("div");
  status.className = "visually-hidden";
  status.setAttribute("role", "status");
  document.body.append(status);
  const idle = new Map<Element, string>();
  new MutationObserver((changes) => {
    for (const { target, oldValue } of changes) {
      if (!(target instanceof HTMLElement)) continue;
      if (!idle.has(target)) idle.set(target, oldValue ?? "");
      const words = target.dataset.tooltip ?? "";
      status.textContent = words === idle.get(target) ? "" : words;
    }
  }).observe(document.body, { subtree: true, attributeFilter: ["data-tooltip"], attributeOldValue: true });
}
