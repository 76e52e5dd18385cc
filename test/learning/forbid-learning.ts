// A preload under which the room that learns can't be loaded.
import { plugin } from "bun";

plugin({
  name: "forbid learning",
  setup(build) {
    build.onLoad({ filter: /\/src\/learning\// }, ({ path }) => {
      throw new Error(`${path} was loaded.`);
    });
  },
});
