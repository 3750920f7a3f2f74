/** Stands for `lacre:contracts` where the page's functions run outside a build: no routes, no limits. */
export const ROUTES = {};
export const PERSON_ROUTES = {};
export const LIMITS = {};
