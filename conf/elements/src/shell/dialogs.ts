// Dialogs close when one clicks beside them.

/** Closes `dialog` on a click on its backdrop. */
export function closeBeside(dialog: HTMLDialogElement): void {
  dialog.addEventListener("click", (event) => {
    if (event.target !== dialog) return;
    const box = dialog.getBoundingClientRect();
    const inside =
      box.left <= event.clientX && event.clientX <= box.right && box.top <= event.clientY && event.clientY <= box.bottom;
    if (!inside) dialog.close();
  });
}
