/** The routes of the operations of a company, by group and verb. Written by test/http/openapi.test.ts. */

export const ROUTES = {
  customers: {
    list: ["GET", "/v1/customers"],
    create: ["POST", "/v1/customers"],
    get: ["GET", "/v1/customers/:id"],
    change: ["PATCH", "/v1/customers/:id"],
    archive: ["DELETE", "/v1/customers/:id"],
    statement: ["GET", "/v1/customers/:id/statement"],
    statementPdf: ["GET", "/v1/customers/:id/statement/pdf", "bytes", "pdf"],
  },
  products: {
    list: ["GET", "/v1/products"],
    create: ["POST", "/v1/products"],
    get: ["GET", "/v1/products/:id"],
    change: ["PATCH", "/v1/products/:id"],
    archive: ["DELETE", "/v1/products/:id"],
  },
  series: {
    list: ["GET", "/v1/series"],
    create: ["POST", "/v1/series"],
    get: ["GET", "/v1/series/:id"],
    change: ["PATCH", "/v1/series/:id"],
  },
  documents: {
    list: ["GET", "/v1/documents"],
    create: ["POST", "/v1/documents"],
    get: ["GET", "/v1/documents/:id"],
    change: ["PATCH", "/v1/documents/:id"],
    discard: ["DELETE", "/v1/documents/:id"],
    preview: ["POST", "/v1/documents/preview"],
    previewDraft: ["GET", "/v1/documents/:id/preview"],
    issue: ["POST", "/v1/documents/:id/issue"],
    cancel: ["POST", "/v1/documents/:id/cancel"],
    credit: ["POST", "/v1/documents/:id/credit"],
    pdf: ["GET", "/v1/documents/:id/pdf", "bytes", "pdf"],
    print: ["POST", "/v1/documents/:id/prints", "bytes", "pdf"],
    email: ["POST", "/v1/documents/:id/email"],
  },
  payments: {
    list: ["GET", "/v1/payments"],
    record: ["POST", "/v1/documents/:id/payments"],
    void: ["DELETE", "/v1/payments/:id"],
    takings: ["GET", "/v1/payments/takings"],
    takingsPdf: ["GET", "/v1/payments/takings/pdf", "bytes", "pdf"],
  },
  saft: {
    export: ["GET", "/v1/saft", "stream", "file"],
  },
  events: {
    read: ["GET", "/v1/events"],
  },
  webhooks: {
    list: ["GET", "/v1/webhooks"],
    create: ["POST", "/v1/webhooks", "unkeyed"],
    get: ["GET", "/v1/webhooks/:id"],
    change: ["PATCH", "/v1/webhooks/:id"],
    delete: ["DELETE", "/v1/webhooks/:id"],
    rotateSecret: ["POST", "/v1/webhooks/:id/secret", "unkeyed"],
    listDeliveries: ["GET", "/v1/webhooks/:id/deliveries"],
    redeliver: ["POST", "/v1/webhooks/deliveries/:id/redeliver"],
    test: ["POST", "/v1/webhooks/:id/test"],
  },
  links: {
    list: ["GET", "/v1/documents/:id/links"],
    create: ["POST", "/v1/documents/:id/links", "unkeyed"],
    get: ["GET", "/v1/links/:id"],
    revoke: ["DELETE", "/v1/links/:id"],
  },
  emails: {
    list: ["GET", "/v1/emails"],
    get: ["GET", "/v1/emails/:id"],
  },
  me: {
    get: ["GET", "/v1/me"],
  },
} as const;
