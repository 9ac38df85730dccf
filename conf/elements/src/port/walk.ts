// Runs through code as Python would, as far as names go, and tells of every API that it comes upon.
import { after, imports, loopTargets, sides, targets } from "./bindings";
import type { Meaning, Names } from "./names";
import { NOTHING, Scope, union, type Changes, type Values } from "./scopes";
import { child, type Node } from "./tree";

/** The arguments that a call passes. `open`: there may be more, from `*` or `**`. */
export interface Passed {
  positional: number;
  keywords: string[];
  open: boolean;
}

/** A place in the code that names an API. `api`: its ID in the database, or the full name where `known` is false. */
export interface Use {
  from: number;
  to: number;
  api: string;
  member?: string;
  known: boolean;
  role: "call" | "name" | "import";
  passed?: Passed;
}

/** Something that a reader must know to trust the finds. `from`: where in the code it is about. */
export interface Note {
  kind: "star" | "star_other" | "assumed" | "deep";
  from: number;
  name: string;
}

const DEEPEST = 300; // a script that was not called before takes three times as much of the stack for each
const FUNCTIONS = new Set(["FunctionDefinition", "LambdaExpression"]);

export class Walk {
  uses: Use[] = [];
  notes: Note[] = [];
  /** Whether the last run learned of a binding that an earlier place may need. */
  learned = false;

  readonly #scopes = new Map<Node, Scope>();
  #later: (() => void)[] = [];
  #depth = 0;
  readonly #noted = new Set<string>();

  constructor(
    readonly root: Node,
    readonly code: string,
    readonly names: Names,
  ) {}

  /** One run over all of the code. Repeated until nothing is learned, it knows what functions find when they are called. */
  run(): void {
    this.uses = [];
    this.notes = [];
    this.#noted.clear();
    this.learned = false;
    this.#later = [];
    const module = this.#scope(this.root, undefined, "module", this.root.children);
    this.#all(this.root.children, module);
    for (const next of this.#later) next(); // which may add to it
  }

  #text = (node: Node): string => this.code.slice(node.from, node.to);

  #scope(node: Node, parent: Scope | undefined, kind: Scope["kind"], roots: readonly Node[]): Scope {
    let scope = this.#scopes.get(node);
    if (!scope) {
      scope = new Scope(kind, parent, roots, this.#text);
      this.#scopes.set(node, scope);
    }
    scope.restart();
    return scope;
  }

  #all(nodes: readonly Node[], scope: Scope): Values {
    let last = NOTHING;
    for (const one of nodes) last = this.#visit(one, scope);
    return last;
  }

  #bind(scope: Scope, name: string, values: Values): void {
    if (scope.bind(name, values)) this.learned = true;
  }

  #bindAll(scope: Scope, nodes: readonly Node[], values: Values = NOTHING): void {
    for (const one of targets(nodes)) this.#bind(scope, this.#text(one), values);
  }

  /** Does `ways` one after another, each from the same state, and joins what they leave. `skip`: none may be taken. */
  #branches(scope: Scope, ways: readonly (() => void)[], skip: boolean): void {
    scope.join(ways.map((way) => this.#branch(scope, way)), skip);
  }

  #branch(scope: Scope, way: () => void): Changes {
    scope.begin();
    way();
    return scope.end();
  }

  /** Goes through `node`. Returns what its value may be, for an expression. */
  #visit(node: Node, scope: Scope): Values {
    if (node.children.length === 0 && node.name !== "VariableName") return NOTHING;
    if (this.#depth >= DEEPEST) {
      this.#noteOnce("", { kind: "deep", from: node.from, name: "" });
      return NOTHING;
    }
    this.#depth++;
    try {
      return this.#enter(node, scope);
    } finally {
      this.#depth--;
    }
  }

  #enter(node: Node, scope: Scope): Values {
    const parts = node.children;
    switch (node.name) {
      case "VariableName":
      case "MemberExpression":
        return this.#chain(node, scope, "name");
      case "CallExpression":
        return this.#call(node, scope);
      case "Decorator":
      case "AttributePattern":
        return this.#dotted(node, scope);
      case "ParenthesizedExpression":
        return parts.map((one) => this.#visit(one, scope)).reduce(union, NOTHING);
      case "ConditionalExpression":
        this.#all(parts.slice(1, -1), scope);
        return union(this.#all(parts.slice(0, 1), scope), this.#all(parts.slice(-1), scope));
      case "BinaryExpression": {
        const values = parts.map((one) => this.#visit(one, scope));
        const either = parts.some((one) => one.name === "or" || one.name === "and");
        return either ? values.reduce(union, NOTHING) : NOTHING;
      }
      case "NamedExpression": {
        const values = this.#all(parts.slice(1), scope);
        this.#bindAll(scope, parts.slice(0, 1), values);
        return values;
      }
      case "ImportStatement":
        this.#import(node, scope);
        return NOTHING;
      case "AssignStatement":
        this.#assign(node, scope);
        return NOTHING;
      case "UpdateStatement":
        this.#all(parts, scope);
        this.#bindAll(scope, sides(node)[0] ?? []);
        return NOTHING;
      case "DeleteStatement":
        this.#bindAll(scope, parts);
        return NOTHING;
      case "ScopeStatement":
      case "String":
        return NOTHING;
      case "IfStatement":
      case "MatchStatement":
      case "MatchBody":
        this.#choices(node, scope);
        return NOTHING;
      case "MatchClause":
        for (const name of patterns(parts)) this.#bind(scope, this.#text(name), NOTHING);
        this.#all(parts, scope);
        return NOTHING;
      case "CapturePattern":
        return NOTHING;
      case "KeywordPattern":
        return this.#all(parts.slice(1), scope);
      case "AsPattern":
        return this.#all(parts.slice(0, 1), scope);
      case "WhileStatement":
      case "ForStatement":
        this.#loop(node, scope);
        return NOTHING;
      case "TryStatement":
        this.#try(node, scope);
        return NOTHING;
      case "WithStatement":
        this.#with(node, scope);
        return NOTHING;
      case "FunctionDefinition":
      case "LambdaExpression":
        this.#function(node, scope);
        return NOTHING;
      case "ClassDefinition": {
        const name = child(node, "VariableName");
        const body = child(node, "Body");
        this.#all(parts.filter((one) => one !== name && one !== body), scope);
        if (body) this.#all(body.children, this.#scope(node, scope, "class", body.children));
        if (name) this.#bind(scope, this.#text(name), NOTHING);
        return NOTHING;
      }
    }
    if (node.name.endsWith("ComprehensionExpression")) this.#comprehension(node, scope);
    else this.#all(parts, scope);
    return NOTHING;
  }

  // Names -----------------------------------------------------------------------------------------------------------

  #look(node: Node, scope: Scope): { values: Values; assumed: boolean } {
    const name = this.#text(node);
    const found = scope.look(name);
    if (found) return { values: found, assumed: false };
    const customary = this.names.customary(name);
    return customary ? { values: [customary], assumed: true } : { values: NOTHING, assumed: false };
  }

  /** A name with the attributes that follow it, `a.b.c`. */
  #chain(node: Node, scope: Scope, role: "call" | "name", passed?: Passed): Values {
    const steps: Node[] = [];
    let base = node;
    while (base.name === "MemberExpression") {
      const property = child(base, "PropertyName");
      const dot = child(base, ".");
      const first = base.children[0];
      if (!first || !dot) break;
      if (property) steps.push(base); // without one the code ends at the dot
      base = first;
    }
    if (base.name === "MemberExpression") {
      this.#all(base.children, scope); // a subscript
      return NOTHING;
    }
    steps.reverse();
    const plain = base.name === "VariableName";
    const { values, assumed } = plain ? this.#look(base, scope) : { values: this.#visit(base, scope), assumed: false };
    const names = steps.map((one) => this.#text(child(one, "PropertyName") as Node));
    return this.#follow(values, assumed, [base, ...steps], names, plain ? 0 : 1, role, passed);
  }

  /** A dotted name that the grammar leaves flat: of a decorator, of a pattern. */
  #dotted(node: Node, scope: Scope): Values {
    const words = node.children.filter((one) => one.name === "VariableName" || one.name === "PropertyName");
    const [base] = words;
    const args = child(node, "ArgList");
    if (base) {
      const { values, assumed } = this.#look(base, scope);
      const places = words.map((one) => ({ ...base, to: one.to }));
      const passed = args ? this.#arguments(args) : undefined;
      this.#follow(values, assumed, places, words.slice(1).map(this.#text), 0, args ? "call" : "name", passed);
    }
    if (args) this.#visitArguments(args, scope);
    return NOTHING;
  }

  /**
   * What `values` with the attributes `names` are. `places`: the nodes that end with the base and with each attribute.
   * The API that the whole means is told; one that the base alone means only from `first` = 0 on.
   */
  #follow(
    values: Values,
    assumed: boolean,
    places: readonly Node[],
    names: readonly string[],
    first: number,
    role: "call" | "name",
    passed?: Passed,
  ): Values {
    let told: { use: Use; value: string } | undefined;
    const found: string[] = [];
    for (const value of values) {
      const name = [value, ...names].join(".");
      if (this.names.leads(name)) found.push(name);
      const start = value.split(".").length;
      const meaning = this.names.meaning(name);
      const step = meaning ? Math.max(0, meaning.used - start) : names.length;
      const made = step === 0 && value.endsWith("()");
      const isIt = meaning ? !made : this.names.isUnknown(name);
      if (!isIt || step < first || (told && (told.use.known || !meaning))) continue;
      const whole = step === names.length;
      told = { value, use: this.#use(places, step, meaning, name, whole ? role : "name", whole ? passed : undefined) };
    }
    if (told) {
      this.uses.push(told.use);
      if (assumed) this.#assume(places[0] as Node, told.value);
    }
    return found;
  }

  #use(
    places: readonly Node[],
    step: number,
    meaning: Meaning | undefined,
    name: string,
    role: "call" | "name",
    passed?: Passed,
  ): Use {
    const use: Use = {
      from: (places[0] as Node).from,
      to: (places[step] as Node).to,
      api: meaning?.api ?? name,
      known: meaning !== undefined,
      role,
    };
    if (meaning?.member !== undefined) use.member = meaning.member;
    else if (passed) use.passed = passed;
    return use;
  }

  #assume(node: Node, value: string): void {
    const name = this.#text(node);
    this.#noteOnce(name, { kind: "assumed", from: node.from, name: `${name} ${value}` });
  }

  #noteOnce(about: string, note: Note): void {
    if (this.#noted.has(about)) return;
    this.#noted.add(about);
    this.notes.push(note);
  }

  // Expressions ------------------------------------------------------------------------------------------------------

  #call(node: Node, scope: Scope): Values {
    const [callee] = node.children;
    const args = child(node, "ArgList");
    if (!callee || !args) return this.#all(node.children, scope);
    const named = callee.name === "VariableName" || callee.name === "MemberExpression";
    const passed = this.#arguments(args);
    const values = named ? this.#chain(callee, scope, "call", passed) : this.#visit(callee, scope);
    const given = this.#visitArguments(args, scope);
    if (callee.name === "VariableName") {
      const name = this.#text(callee);
      if (scope.look(name) === undefined && name === "getattr") return this.#getattr(node, args, given);
    }
    return values.flatMap((value) => {
      const meaning = this.names.meaning(value);
      return meaning && !meaning.member && !value.includes("(") && this.names.isClass(meaning.api) ? [`${value}()`] : [];
    });
  }

  /** `getattr(module, "name")` with a name that is written out. */
  #getattr(node: Node, args: Node, given: readonly Values[]): Values {
    const word = args.children.filter((one) => one.name !== ",")[2];
    const name = word?.name === "String" ? /^(["'])(\w+)\1$/.exec(this.#text(word))?.[2] : undefined;
    return name ? this.#follow(given[0] ?? NOTHING, false, [node, node], [name], 1, "name") : NOTHING;
  }

  #arguments(args: Node): Passed {
    if (child(args, "for")) return { positional: 1, keywords: [], open: false };
    const passed: Passed = { positional: 0, keywords: [], open: false };
    let keyword: string | undefined;
    let starred = false;
    let last: Node | undefined;
    const end = (): void => {
      if (keyword !== undefined) passed.keywords.push(keyword);
      else if (starred) passed.open = true;
      else if (last && !passed.open) passed.positional++;
      keyword = last = undefined;
      starred = false;
    };
    for (const one of args.children) {
      if (one.name === ",") end();
      else if (one.name === "AssignOp" && last?.name === "VariableName" && this.#text(one) === "=") keyword = this.#text(last);
      else if (one.name === "*" || one.name === "**") starred = true;
      else if (one.name !== "(" && one.name !== ")" && one.name !== "Comment" && !one.error) last = one;
    }
    end();
    return passed;
  }

  /** Goes through the arguments. Returns what those given by position may be. */
  #visitArguments(args: Node, scope: Scope): Values[] {
    const given: Values[] = [];
    if (child(args, "for")) {
      this.#comprehension(args, scope);
      return given;
    }
    args.children.forEach((one, index) => {
      const next = args.children[index + 1];
      const isKeyword = one.name === "VariableName" && next?.name === "AssignOp";
      if (isKeyword && this.#text(next) === "=") return;
      if (isKeyword) this.#bind(scope, this.#text(one), NOTHING);
      else if (!["(", ")", ",", "*", "**", "AssignOp"].includes(one.name)) given.push(this.#visit(one, scope));
    });
    return given;
  }

  #comprehension(node: Node, scope: Scope): void {
    const own = this.#scope(node, scope, "comprehension", []);
    let where = scope; // the first iterable belongs to the scope around
    for (let start = 0; ; ) {
      const at = node.children.findIndex((one, index) => index >= start && one.name === "for");
      if (at < 0) break;
      const bound = loopTargets(node, at);
      const inner = at + 1 + bound.length + 1;
      for (const name of targets(bound)) own.bound.names.add(this.#text(name));
      const next = node.children.findIndex((one, index) => index >= inner && (one.name === "for" || one.name === "if"));
      this.#all(node.children.slice(inner, next < 0 ? undefined : next), where);
      where = own;
      start = inner;
    }
    const first = node.children.findIndex((one) => one.name === "for");
    this.#all(first < 0 ? node.children : node.children.slice(0, first), own);
    node.children.forEach((one, index) => {
      if (node.children[index - 1]?.name === "if") this.#visit(one, own);
    });
  }

  // Statements -------------------------------------------------------------------------------------------------------

  #import(node: Node, scope: Scope): void {
    const found = imports(node, this.#text);
    for (const one of found.names) {
      this.#bind(scope, one.name, one.path && this.names.leads(one.path) ? [one.path] : NOTHING);
      const meaning = this.names.meaning(one.path);
      const place = { from: one.node.from, to: one.node.to, role: "import" } as const;
      if (one.from && meaning) this.uses.push({ ...place, api: meaning.api, known: true });
      else if (one.from && this.names.isUnknown(one.path)) this.uses.push({ ...place, api: one.path, known: false });
    }
    if (found.star === undefined) return;
    const names = this.names.public(found.star);
    for (const name of names) {
      scope.bound.names.add(name);
      this.#bind(scope, name, [`${found.star}.${name}`]);
    }
    this.notes.push({ kind: names.length ? "star" : "star_other", from: node.from, name: found.star });
  }

  #assign(node: Node, scope: Scope): void {
    const all = sides(node);
    const type = child(node, "TypeDef");
    if (type) this.#visit(type, scope);
    const value = all.length > 1 ? (all.pop() ?? []) : [];
    const each = value.map((one) => this.#visit(one, scope));
    for (const side of all) {
      for (const one of side) if (one.name === "MemberExpression") this.#visit(one, scope);
      const [target] = side;
      if (side.length === 1 && target?.name === "VariableName") {
        if (value.length) this.#bind(scope, this.#text(target), each.length === 1 ? (each[0] ?? NOTHING) : NOTHING);
      } else if (side.length === value.length) {
        side.forEach((one, index) => this.#bindAll(scope, [one], one.name === "VariableName" ? each[index] : NOTHING));
      } else this.#bindAll(scope, side);
    }
  }

  /** Bodies of which one is taken, or none where there is no `else`. */
  #choices(node: Node, scope: Scope): void {
    const ways: (() => void)[] = [];
    for (const one of node.children)
      if (one.name === "Body" || one.name === "MatchClause") ways.push(() => this.#visit(one, scope));
      else this.#visit(one, scope);
    if (ways.length) this.#branches(scope, ways, !child(node, "else"));
  }

  #loop(node: Node, scope: Scope): void {
    const bound = loopTargets(node);
    const plain = new Set(bound.filter(isPlain));
    const bodies = node.children.filter((one) => one.name === "Body");
    this.#all(node.children.filter((one) => one.name !== "Body" && !plain.has(one)), scope);
    this.#branches(
      scope,
      bodies.map((body, index) => () => {
        if (index === 0) this.#bindAll(scope, bound);
        this.#visit(body, scope);
      }),
      true,
    );
  }

  #try(node: Node, scope: Scope): void {
    const handlers: (() => void)[] = [];
    let tried: Changes = new Map();
    let word = "";
    let guarded: Node[] = []; // what stands between `except` and its body
    for (const one of node.children) {
      if (one.name !== "Body") {
        if (["try", "except", "else", "finally"].includes(one.name)) word = one.name;
        guarded.push(one);
        continue;
      }
      const head = guarded;
      guarded = [];
      if (word === "try") {
        tried = this.#branch(scope, () => this.#visit(one, scope));
      } else if (word === "except")
        handlers.push(() => {
          const names = after({ ...node, children: head }, "as");
          this.#all(head.filter((part) => !names.includes(part)), scope);
          for (const name of names) this.#bind(scope, this.#text(name), NOTHING);
          this.#visit(one, scope);
        });
      else {
        this.#handle(scope, tried, handlers.splice(0));
        tried = new Map();
        this.#visit(one, scope);
      }
    }
    this.#handle(scope, tried, handlers);
  }

  /** What holds after a `try` body: its own end, or that of one handler, which starts anywhere in the body. */
  #handle(scope: Scope, tried: Changes, handlers: readonly (() => void)[]): void {
    scope.join([tried], true);
    scope.join([tried, ...handlers.map((handler) => this.#branch(scope, handler))]);
  }

  #with(node: Node, scope: Scope): void {
    let values = NOTHING;
    const names = new Set(after(node, "as"));
    for (const one of node.children)
      if (names.has(one)) this.#bind(scope, this.#text(one), values);
      else if (one.name === "," || one.name === "as") continue;
      else values = this.#visit(one, scope);
  }

  #function(node: Node, scope: Scope): void {
    const name = child(node, "VariableName");
    const list = child(node, "ParamList");
    const body = node.name === "FunctionDefinition" ? child(node, "Body") : node.children.at(-1);
    const own = this.#scope(node, scope, "function", body && FUNCTIONS.has(node.name) ? [body] : []);
    const given = new Map<string, Values>();
    let parameter = "";
    let value = false; // after "=" stands a default
    for (const one of list?.children ?? []) {
      if (one.name === "VariableName" && !value) {
        parameter = this.#text(one);
        own.bound.names.add(parameter);
        given.set(parameter, NOTHING);
      } else if (one.name === "AssignOp") value = true;
      else if (one.name === "," || one.name === ")") value = false;
      else if (value) given.set(parameter, this.#visit(one, scope));
      else this.#visit(one, scope);
    }
    for (const one of node.children)
      if (one.name === "TypeDef" || one.name === "TypeParamList") this.#visit(one, scope);
    if (node.name === "FunctionDefinition" && name) this.#bind(scope, this.#text(name), NOTHING);
    if (!body || body === list) return;
    this.#later.push(() => {
      for (const [one, values] of given) this.#bind(own, one, values);
      this.#visit(body, own);
    });
  }
}

function isPlain(node: Node): boolean {
  return ["VariableName", "TupleExpression", "ArrayExpression", "ParenthesizedExpression", ","].includes(node.name);
}

/** The names that patterns capture. */
function* patterns(nodes: readonly Node[]): Generator<Node> {
  for (const one of nodes) {
    if (one.name === "CapturePattern") yield* one.children;
    else if (one.name === "AsPattern") yield* after(one, "as");
    if (one.name.endsWith("Pattern") || one.name === "PatternArgList") yield* patterns(one.children);
  }
}
