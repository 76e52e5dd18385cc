// The console's entry point: renders the app into the page.
import { render } from "preact";
import { takeLinkSecret } from "./browser.ts";
import { App } from "./frame/app.tsx";
import { followAddress } from "./frame/route.ts";
import { startTheme } from "./frame/theme.tsx";

const root = document.getElementById("console");
if (root) {
  const link = takeLinkSecret();
  followAddress();
  startTheme();
  render(<App link={link} />, root);
}
