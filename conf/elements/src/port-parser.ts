// The heavy part of <apidiff-port>: the parser, the analysis and the panel. Loaded by port.ts when it is needed.
import { PortPanel } from "./port/panel";

window.apidiffPortParser = { panel: (host, words, table) => new PortPanel(host, words, table) };
