// Makes `@NAME@.wasm`. The engine is StarlingMonkey; what it could offer besides is left out, since a plugin has no right to it,
// but for standard error, where the engine says what went wrong.

import { writeFile } from 'node:fs/promises';

import { componentize } from '@bytecodealliance/componentize-js';

const { component } = await componentize({
  sourcePath: 'plugin.js',
  witPath: 'wit',
  worldName: 'generator',
  disableFeatures: ['http', 'clocks', 'random', 'fetch-event'],
});
await writeFile('@NAME@.wasm', component);
