// Loads a script of this site when it is needed. A <script> works from file:// where fetch does not.

const loading = new Map<string, Promise<void>>();

/** Loads the script at `address` once. Rejects, and may be asked again, where it cannot be loaded. */
export function loadScript(address: string): Promise<void> {
  let found = loading.get(address);
  if (!found) {
    found = new Promise<void>((resolve, reject) => {
      const script = document.createElement("script");
      script.src = address;
      script.onload = () => resolve();
      script.onerror = () => {
        loading.delete(address);
        script.remove();
        reject(new Error(`${address} could not be loaded`));
      };
      document.head.append(script);
    });
    loading.set(address, found);
  }
  return found;
}

/** The folder of this language's pages, as an address that ends in a slash: <html data-content_root="../"> is the theme's. */
export function contentRoot(): URL {
  return new URL(document.documentElement.dataset.content_root ?? "./", window.location.href);
}
