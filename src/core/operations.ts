/** Every operation of Lacre. The routes, the library API and the OpenAPI document are made from these tables. */

import {
  changeCompany,
  changeOwnCompany,
  getCompany,
  getLogo,
  getMe,
  getOwnCompany,
  listCompanies,
} from "./company/companies.ts";
import { createCompany, createOwnCompany } from "./company/company-setup.ts";
import { getCustomerFigures, getFigures, listDebts } from "./company/figures.ts";
import { cancelDocument } from "./documents/cancel.ts";
import { creditDocument } from "./documents/credit.ts";
import { changeDraft, createDocument, discardDraft } from "./documents/draft.ts";
import { issueDocument } from "./documents/issue.ts";
import {
  createDocumentLink,
  getDocumentLink,
  listDocumentLinks,
  openDocumentLink,
  revokeDocumentLink,
} from "./documents/links.ts";
import { listDocuments } from "./documents/list.ts";
import { getStatementPdf, getTakingsPdf } from "./documents/papers.ts";
import { listPayments, recordPayment, voidPayment } from "./documents/payments.ts";
import { previewDocument, previewNewDocument } from "./documents/preview.ts";
import { getDocumentPdf, printOriginal } from "./documents/print.ts";
import { getDocument } from "./documents/read.ts";
import { searchDocuments } from "./documents/search.ts";
import { getStatement } from "./documents/statement.ts";
import { getTakings } from "./documents/takings.ts";
import { changeCompanyMail, getCompanyMail } from "./emails/company-mail.ts";
import { getEmail, listEmails, sendDocument } from "./emails/emails.ts";
import { beginEmail, listDueEmails, settleEmail, takeEmails } from "./emails/sending.ts";
import { testCompanyMail } from "./emails/test-message.ts";
import { listEvents, readEvents } from "./events/events.ts";
import { declineBackups, recordBackup } from "./installation/backups.ts";
import {
  compareHeads,
  confirmHeads,
  countRestore,
  getHeads,
  getInstallation,
  getOwnInstallation,
  getPlace,
  getWaiting,
  keepHeads,
  lockIfBehind,
  lockIfCopied,
  markBackup,
} from "./installation/installation.ts";
import { listActors } from "./people/actors.ts";
import {
  createApiKey,
  createOwnApiKey,
  listApiKeys,
  listOwnApiKeys,
  revokeApiKey,
  revokeOwnApiKey,
} from "./people/api-keys.ts";
import {
  acceptInvitation,
  inviteMember,
  inviteOwner,
  listMembers,
  lookAtInvitation,
  resetMember,
  resetUser,
  withdrawInvitation,
} from "./people/invitations.ts";
import { changeLanguage, changePassword, confirmPassword, getSession, getStart, openSession } from "./people/login.ts";
import { countTry, takeBackTry } from "./people/password-tries.ts";
import { closeSession, listSessions, noteSession, revokeSession } from "./people/sessions.ts";
import { changeRole, disableMember, disableUser, listUsers } from "./people/users.ts";
import { archiveCustomer, changeCustomer, createCustomer, getCustomer, listCustomers } from "./records/customers.ts";
import { archiveProduct, changeProduct, createProduct, getProduct, listProducts } from "./records/products.ts";
import { listCommunications, markCommunicated } from "./saft/communications.ts";
import { exportSaft, reportSaft } from "./saft/export/export.ts";
import { importMasterFiles } from "./saft/import/import.ts";
import { confirmClock } from "./series/clock-guard.ts";
import { changeSeries, createSeries, getCurrentSeries, getSeries, listSeries } from "./series/series.ts";
import { listWaiting } from "./series/waiting.ts";
import { openYear } from "./series/year.ts";
import { getSigner, importSigner, rotateSigner, setCertificate } from "./signing/signer.ts";
import {
  answerFindings,
  answerInstallation,
  checkCompany,
  checkInstallation,
  claimCheck,
  listChecks,
  recordCheck,
} from "./verify/checks.ts";
import { verifyCompany, verifyInstallation, verifyWithProgress } from "./verify/verify.ts";
import {
  listDeliveries,
  listDueWebhooks,
  redeliver,
  settleDelivery,
  takeDeliveries,
  testWebhook,
} from "./webhooks/deliveries.ts";
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
} from "./webhooks/webhooks.ts";

/** The operations inside one company: `lacre.as(company).customers.create(…)`. */
export const COMPANY_OPERATIONS = {
  customers: {
    list: listCustomers,
    create: createCustomer,
    get: getCustomer,
    change: changeCustomer,
    archive: archiveCustomer,
    statement: getStatement,
    statementPdf: getStatementPdf,
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
    current: getCurrentSeries,
    openYear,
    change: changeSeries,
    verify: verifyCompany,
    answer: answerFindings,
    confirmHeads,
  },
  documents: {
    list: listDocuments,
    search: searchDocuments,
    create: createDocument,
    get: getDocument,
    change: changeDraft,
    discard: discardDraft,
    preview: previewNewDocument,
    previewDraft: previewDocument,
    issue: issueDocument,
    cancel: cancelDocument,
    credit: creditDocument,
    pdf: getDocumentPdf,
    print: printOriginal,
    email: sendDocument,
  },
  payments: {
    list: listPayments,
    record: recordPayment,
    void: voidPayment,
    takings: getTakings,
    takingsPdf: getTakingsPdf,
  },
  saft: { export: exportSaft, report: reportSaft, importMasterFiles, listCommunications, markCommunicated },
  waiting: { list: listWaiting },
  installation: { get: getOwnInstallation, verify: verifyWithProgress },
  figures: { get: getFigures, debts: listDebts, customer: getCustomerFigures },
  events: { list: listEvents, read: readEvents },
  webhooks: {
    list: listWebhooks,
    create: createWebhook,
    get: getWebhook,
    change: changeWebhook,
    delete: deleteWebhook,
    rotateSecret: rotateWebhookSecret,
    listDeliveries,
    redeliver,
    test: testWebhook,
    take: takeDeliveries,
    settle: settleDelivery,
  },
  links: {
    list: listDocumentLinks,
    create: createDocumentLink,
    get: getDocumentLink,
    revoke: revokeDocumentLink,
    open: openDocumentLink,
  },
  emails: { list: listEmails, get: getEmail, take: takeEmails, begin: beginEmail, settle: settleEmail },
  actors: { list: listActors },
  checks: { look: checkCompany, record: recordCheck, claim: claimCheck },
  clock: { confirm: confirmClock },
  me: { get: getMe },
  company: { get: getOwnCompany, change: changeOwnCompany, logo: getLogo },
  mail: { get: getCompanyMail, change: changeCompanyMail, test: testCompanyMail },
  keys: { list: listOwnApiKeys, create: createOwnApiKey, revoke: revokeOwnApiKey },
  users: {
    list: listMembers,
    invite: inviteMember,
    withdraw: withdrawInvitation,
    changeRole,
    disable: disableMember,
    reset: resetMember,
  },
} as const;

/** What people do before they log in and with their own session, in no company. Routed below /area/v1 alone. */
export const PERSON_OPERATIONS = {
  start: { get: getStart },
  invitations: { look: lookAtInvitation, accept: acceptInvitation },
  session: {
    open: openSession,
    get: getSession,
    note: noteSession,
    changeLanguage,
    confirm: confirmPassword,
    changePassword,
    close: closeSession,
  },
  sessions: { list: listSessions, revoke: revokeSession },
  tries: { count: countTry, takeBack: takeBackTry },
  companies: { create: createOwnCompany },
} as const;

/** The host's operations on the installation: `lacre.companies.create(…)`. Never routed over HTTP. */
export const INSTALLATION_OPERATIONS = {
  companies: { list: listCompanies, create: createCompany, get: getCompany, change: changeCompany },
  keys: { list: listApiKeys, create: createApiKey, revoke: revokeApiKey },
  users: { invite: inviteOwner, list: listUsers, reset: resetUser, disable: disableUser },
  installation: {
    get: getInstallation,
    waiting: getWaiting,
    heads: getHeads,
    compareHeads,
    lockIfBehind,
    place: getPlace,
    lockIfCopied,
    keepHeads,
    markBackup,
    recordBackup,
    declineBackups,
    countRestore,
    verify: verifyInstallation,
    check: checkInstallation,
    checks: listChecks,
    answer: answerInstallation,
  },
  webhooks: { due: listDueWebhooks },
  emails: { due: listDueEmails },
  signer: { get: getSigner, setCertificate, rotate: rotateSigner, import: importSigner },
} as const;
