// Where the API's document and its page are.

export const DOCS_PATH = "/docs";
export const DOCUMENT_PATH = "/openapi.json";
export const SCRIPT_PATH = "/docs/page.js";
export const STYLE_PATH = "/docs/page.css";
