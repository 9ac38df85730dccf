// The theme's search dialog: its button and Ctrl+K open it.
import { closeBeside } from "./dialogs";

export function connectSearchDialog(): void {
  const dialog = document.querySelector<HTMLDialogElement>("#pst-search-dialog");
  if (!dialog) return;
  const open = () => dialog.showModal();
  closeBeside(dialog);
  for (const button of document.querySelectorAll(".search-button__button")) button.addEventListener("click", open);
  window.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (dialog.open) dialog.close();
    else open();
  });
}
