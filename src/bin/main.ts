#!/usr/bin/env node
/** The program from its files. The compile cache is set up before the first of them is loaded. */
import { keepCompiled } from "./compile-cache.ts";

keepCompiled();
await import("./program.ts");
