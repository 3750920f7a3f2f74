#!/usr/bin/env node
/** The program from its files. What they compile to is kept before the first of them is loaded. */
import { keepCompiled } from "./compile-cache.ts";

keepCompiled();
await import("./program.ts");
