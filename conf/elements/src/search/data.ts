// What the server wrote for searching: apidiff/sphinxext/search_index.py says what each part means.

export type Kind = "mapping" | "api" | "page" | "python" | "run";

export interface Passage {
  text: string;
  anchor?: string;
  risk?: string;
  words?: string[];
}

export interface Entry {
  kind: Kind;
  name: string;
  address: string;
  text?: string;
  names?: string[];
  targets?: string[];
  uses?: string[];
  /** How often real code names it. */
  used?: number;
  within?: string;
  risk?: string;
  status?: string;
  words?: string[];
  parameters?: string[];
  passages?: Passage[];
}

export interface SearchData {
  entries: Entry[];
  words: Record<string, string>;
  labels: Record<string, string>;
  everyday: Record<string, string[]>;
  empty: string[];
}
