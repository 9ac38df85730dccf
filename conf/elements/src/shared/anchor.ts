/** The ID that the part of an address after "#" names; one that is no encoding, such as "#%", names itself. */
export function anchorOf(hash: string): string {
  const name = hash.replace(/^#/, "");
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
