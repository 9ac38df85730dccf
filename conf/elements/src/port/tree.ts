// The syntax tree of Python code, as plain objects: it is walked more than once.
import { parser } from "@lezer/python";

/** A node of the grammar of @lezer/python; keywords and signs are nodes too. `error`: what stands there is no Python. */
export interface Node {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly error: boolean;
  readonly children: Node[];
}

/** The tree of `code`. Never fails: code that is broken or cut off gives a tree with error nodes. */
export function parse(code: string): Node {
  const cursor = parser.parse(code).cursor();
  const make = (): Node => ({
    name: cursor.name,
    from: cursor.from,
    to: cursor.to,
    error: cursor.type.isError,
    children: [],
  });
  const root = make();
  const path = [root];
  for (;;) {
    if (cursor.firstChild()) {
      const node = make();
      path.at(-1)?.children.push(node);
      path.push(node);
      continue;
    }
    while (!cursor.nextSibling()) {
      if (!cursor.parent()) return root;
      path.pop();
    }
    path.pop();
    const node = make();
    path.at(-1)?.children.push(node);
    path.push(node);
  }
}

/** The first child of that name. */
export function child(node: Node, name: string): Node | undefined {
  return node.children.find((one) => one.name === name);
}
