/** Lines that pretend to be a withholding, which is stated below the total instead (Despacho 8632/2014, 2.2.7). */

/** *Retenção*, *retenções*, with or without their accents, after any leading signs. */
const WITHHOLDING = /^[^\p{L}\p{N}]*reten[cç](?:[aã]o|[oõ]es)(?![\p{L}\p{N}])/iu;

/** Whether a line's text begins like a withholding of tax. Texts are trimmed and in NFC when they are stored. */
export const readsLikeWithholding = (description: string): boolean => WITHHOLDING.test(description);
