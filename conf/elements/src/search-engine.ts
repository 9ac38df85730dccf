// Loaded when a reader turns to a search box: the engine, which the box alone does not need.

import { Engine } from "./search/engine";
import "./search/engine-loader";

window.apidiffSearchEngine = Engine;
