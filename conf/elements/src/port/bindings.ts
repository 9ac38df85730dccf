// Which names a piece of code binds, by the grammar: assignments, imports, loops, definitions, patterns.
import { child, type Node } from "./tree";

/** One name that an import statement binds. `path`: what it is bound to, empty for a relative import. */
export interface Imported {
  name: string;
  path: string;
  node: Node; // the name in the statement that says what is imported
  from: boolean; // in `from … import …`
}

export interface Import {
  names: Imported[];
  star?: string; // the module of `from … import *`
}

/** What an import statement binds, as far as it is written. */
export function imports(statement: Node, text: (node: Node) => string): Import {
  const parts = statement.children.filter((one) => !one.error);
  const names: Imported[] = [];
  let place = 1;
  const dotted = (): { path: string[]; node: Node | undefined } => {
    const path: string[] = [];
    let node: Node | undefined;
    for (; parts[place]?.name === "VariableName" || parts[place]?.name === "."; place++) {
      if (parts[place]?.name === ".") continue;
      node = parts[place] as Node;
      path.push(text(node));
    }
    return { path, node };
  };
  const alias = (): string | undefined => {
    if (parts[place]?.name !== "as") return undefined;
    const next = parts[place + 1];
    if (next?.name !== "VariableName") return undefined;
    place += 2;
    return text(next);
  };
  if (parts[0]?.name === "import") {
    while (place < parts.length) {
      const { path, node } = dotted();
      const as = alias();
      if (node) names.push({ name: as ?? path[0] ?? "", path: as ? path.join(".") : (path[0] ?? ""), node, from: false });
      else place++;
    }
    return { names };
  }
  const relative = parts[1] !== undefined && parts[1].name !== "VariableName";
  while (parts[place] && parts[place]?.name !== "VariableName" && parts[place]?.name !== "import") place++;
  const module = dotted().path.join(".");
  if (parts[place]?.name !== "import") return { names };
  place++;
  if (parts[place]?.name === "*") return { names, star: relative ? "" : module };
  while (place < parts.length) {
    const node = parts[place] as Node;
    place++;
    if (node.name !== "VariableName") continue;
    const name = text(node);
    names.push({ name: alias() ?? name, path: relative ? "" : `${module}.${name}`, node, from: true });
  }
  return { names };
}

/** The parts of an assignment between its signs: the targets, then the value as the last one. */
export function sides(statement: Node): Node[][] {
  const found: Node[][] = [[]];
  for (const one of statement.children) {
    if (one.name === "AssignOp" || one.name === "UpdateOp") found.push([]);
    else if (one.name !== "," && one.name !== "*" && one.name !== "TypeDef") found.at(-1)?.push(one);
  }
  return found;
}

/** The plain names that a target of an assignment binds. */
export function* targets(nodes: readonly Node[]): Generator<Node> {
  for (const one of nodes)
    if (one.name === "VariableName") yield one;
    else if (["TupleExpression", "ArrayExpression", "ParenthesizedExpression"].includes(one.name))
      yield* targets(one.children);
}

/** What stands between `for` and `in`. */
export function loopTargets(node: Node, start = 0): Node[] {
  const first = node.children.findIndex((one, index) => index >= start && one.name === "for");
  const last = node.children.findIndex((one, index) => index > first && one.name === "in");
  return first < 0 || last < 0 ? [] : node.children.slice(first + 1, last);
}

/** The names after `as`. */
export function after(node: Node, word: string): Node[] {
  return node.children.filter((one, index) => one.name === "VariableName" && node.children[index - 1]?.name === word);
}

const OWN_SCOPE = /^(Lambda|\w*Comprehension)Expression$/;

/** What a scope binds. Names that `global` or `nonlocal` hands to another scope are in those lists only. */
export interface Bound {
  names: Set<string>;
  globals: Set<string>;
  nonlocals: Set<string>;
}

/** Everything bound below `roots` without entering the scopes that stand in them. */
export function bound(roots: readonly Node[], text: (node: Node) => string): Bound {
  const found: Bound = { names: new Set(), globals: new Set(), nonlocals: new Set() };
  const add = (nodes: Iterable<Node>): void => {
    for (const one of nodes) found.names.add(text(one));
  };
  const open = [...roots];
  for (let node = open.pop(); node; node = open.pop()) {
    switch (node.name) {
      case "AssignStatement":
      case "UpdateStatement": {
        const all = sides(node);
        const typed = all.length === 1 && child(node, "TypeDef") !== undefined;
        for (const side of typed ? all : all.slice(0, -1)) add(targets(side));
        break;
      }
      case "ForStatement":
        add(targets(loopTargets(node)));
        break;
      case "WithStatement":
      case "TryStatement":
      case "AsPattern":
        add(after(node, "as"));
        break;
      case "NamedExpression":
      case "CapturePattern":
      case "TypeDefinition":
        add(node.children.filter((one) => one.name === "VariableName").slice(0, 1));
        break;
      case "DeleteStatement":
        add(targets(node.children));
        break;
      case "ImportStatement":
        for (const one of imports(node, text).names) found.names.add(one.name);
        break;
      case "ScopeStatement": {
        const names = node.children[0]?.name === "global" ? found.globals : found.nonlocals;
        for (const one of node.children) if (one.name === "VariableName") names.add(text(one));
        break;
      }
      case "FunctionDefinition":
      case "ClassDefinition":
        add([child(node, "VariableName")].filter((one) => one !== undefined));
        continue; // what stands in it is a scope of its own
    }
    if (OWN_SCOPE.test(node.name)) continue;
    for (const one of node.children) open.push(one); // a call takes fewer arguments than a list may have items
  }
  for (const name of [...found.globals, ...found.nonlocals]) found.names.delete(name);
  return found;
}
