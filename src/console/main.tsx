// The console's entry point: renders the app into the page.
import { render } from "preact";
import { App } from "./frame/app.tsx";

const root = document.getElementById("console");
if (root) render(<App />, root);
