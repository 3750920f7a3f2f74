/** Every operation of Lacre. The routes, the library API and the OpenAPI document are made from these tables. */
import { createApiKey, listApiKeys, revokeApiKey } from "./api-keys.ts";
import { changeCompany, getCompany, getMe, listCompanies } from "./companies.ts";
import { createCompany } from "./company-setup.ts";
import { archiveCustomer, changeCustomer, createCustomer, getCustomer, listCustomers } from "./customers.ts";
import { cancelDocument } from "./documents/cancel.ts";
import { changeDraft, createDocument, discardDraft } from "./documents/draft.ts";
import { issueDocument } from "./documents/issue.ts";
import { getDocumentPdf } from "./documents/print.ts";
import { getDocument, listDocuments } from "./documents/read.ts";
import { verifySeries } from "./documents/verify.ts";
import { listEvents } from "./events.ts";
import { confirmHead, countRestore, getInstallation, markBackup } from "./installation.ts";
import { listPayments, recordPayment, voidPayment } from "./payments.ts";
import { archiveProduct, changeProduct, createProduct, getProduct, listProducts } from "./products.ts";
import { exportSaft } from "./saft/export/export.ts";
import { importMasterFiles } from "./saft/import/import.ts";
import { confirmClock } from "./series/clock-guard.ts";
import { changeSeries, createSeries, getSeries, listSeries } from "./series/series.ts";
import { getSigner, importSigner, rotateSigner, setCertificate } from "./signing/signer.ts";

/** The operations inside one company: `lacre.as(company).customers.create(…)`. */
export const COMPANY_OPERATIONS = {
  customers: {
    list: listCustomers,
    create: createCustomer,
    get: getCustomer,
    change: changeCustomer,
    archive: archiveCustomer,
  },
  products: {
    list: listProducts,
    create: createProduct,
    get: getProduct,
    change: changeProduct,
    archive: archiveProduct,
  },
  series: {
    list: listSeries,
    create: createSeries,
    get: getSeries,
    change: changeSeries,
    verify: verifySeries,
    confirmHead,
  },
  documents: {
    list: listDocuments,
    create: createDocument,
    get: getDocument,
    change: changeDraft,
    discard: discardDraft,
    issue: issueDocument,
    cancel: cancelDocument,
    pdf: getDocumentPdf,
  },
  payments: { list: listPayments, record: recordPayment, void: voidPayment },
  saft: { export: exportSaft, importMasterFiles },
  events: { list: listEvents },
  clock: { confirm: confirmClock },
  me: { get: getMe },
} as const;

/** The host's operations on the installation: `lacre.companies.create(…)`. Never routed over HTTP. */
export const INSTALLATION_OPERATIONS = {
  companies: { list: listCompanies, create: createCompany, get: getCompany, change: changeCompany },
  keys: { list: listApiKeys, create: createApiKey, revoke: revokeApiKey },
  installation: { get: getInstallation, markBackup, countRestore },
  signer: { get: getSigner, setCertificate, rotate: rotateSigner, import: importSigner },
} as const;
