/** Stands for `lacre:contracts` where the page's functions run outside a build: no doors, no limits. */
export const DOORS = {};
export const PERSON_DOORS = {};
export const LIMITS = {};
