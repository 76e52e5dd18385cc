// Files that are imported as paths (`with { type: "file" }`), so that they end up in the binary.
declare module "swagger-ui-dist/*" {
  const path: string;
  export default path;
}
