// Cuts text into the words that are indexed and searched. A run of Chinese characters has no spaces, so it is cut into
// pairs; its last character stands alone too, so that every character begins some word and is found as a beginning.
// Names are found whole and by their parts: cut at dots, underscores and the humps of camel case. Letters of full width
// are those of half width.

const PIECE = /[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*|[\u3400-\u9fff]+/g;
const PART = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;

/** A piece of text: a run of Chinese characters, or a name with its parts (none where it has only one). */
export interface Piece {
  text: string;
  chinese: boolean;
  parts: string[];
}

export function pieces(text: string): Piece[] {
  return [...text.normalize("NFKC").matchAll(PIECE)].map(([piece]) => {
    if (piece >= "\u3400") return { text: piece, chinese: true, parts: pairs(piece) };
    const parts = (piece.match(PART) ?? []).map((part) => part.toLowerCase());
    return { text: piece.toLowerCase(), chinese: false, parts: parts.length > 1 ? parts : [] };
  });
}

/** Every word by which `text` is found. */
export function indexWords(text: string): string[] {
  return pieces(text).flatMap((piece) =>
    piece.chinese ? [...piece.parts, piece.text.slice(-1)] : [...new Set([piece.text, ...piece.text.split("."), ...piece.parts])],
  );
}

function pairs(run: string): string[] {
  return Array.from({ length: run.length - 1 }, (_, start) => run.slice(start, start + 2));
}
