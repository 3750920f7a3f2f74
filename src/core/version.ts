/** The version of Lacre, as in package.json: the executable has no package.json to read. */
export const VERSION = "0.1.0";
