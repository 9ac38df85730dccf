// <apidiff-table>: filters and sorts the server's table of all mappings. What is chosen stands in the address.

import { FilterTable } from "./table/element";

customElements.define("apidiff-table", FilterTable);
