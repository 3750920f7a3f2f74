/** A shop with a row of everything that may not change, for attacks on its tables. */
import { PERSON_OPERATIONS } from "../../src/core/operations.ts";
import { TODAY } from "./drivers.ts";
import { aCustomer, aDraft, aLine, anInvoice, aPayment, aSeries } from "./factories.ts";
import { aCompany, type Instance } from "./instance.ts";

/**
 * Fills an instance with an issued document with all its parts, a cancelled one, a shipped one, a draft, payments, a
 * closed series, marks, another company and people. Returns the ids.
 */
export async function aTarget(instance: Instance) {
  const { company, series } = instance;
  await aCompany(instance.lacre);
  const customer_id = (await aCustomer(instance)).id;
  const order = await anInvoice(instance, { doc_type: "OR", customer_id });
  const full = {
    customer_id,
    references: [{ document_id: order.id }],
    payments: [{ amount: 1, method_code: "NU", payment_date: TODAY } as const],
    lines: [aLine({ reference_id: order.id })],
  };
  const issued = await anInvoice(instance, full);
  const cancelled = await anInvoice(instance, { customer_id });
  await company.documents.cancel({ id: cancelled.id });
  for (const month of ["2025-11", "2025-12"]) await company.saft.markCommunicated({ month });
  const shipped = await anInvoice(instance, { doc_type: "GT", customer_id });
  await company.documents.change({ id: shipped.id, at_doc_code: "5120000001" });
  const draft = await aDraft(instance, full);
  const payment = await aPayment(instance, issued, 2);
  const voided = await aPayment(instance, issued, 3);
  await company.payments.void({ id: voided.id });
  const closed = await aSeries(instance, { code: "CLOSED" });
  await company.series.change({ id: closed.id, status: "closed" });
  await somePeople(instance);
  return {
    company: instance.company_id,
    issued: issued.id,
    cancelled: cancelled.id,
    shipped: shipped.id,
    draft: draft.id,
    payment: payment.id,
    voided: voided.id,
    series: series.FT,
    closed: closed.id,
  };
}

/** Two owners, and two invitations that nobody has used. */
async function somePeople({ lacre, company }: Instance): Promise<void> {
  const visitor = lacre.visitor({ address: null, network: null, user_agent: null });
  for (const login of ["ana@loja.pt", "rui@loja.pt"]) {
    const token = (await lacre.users.invite({ login })).link_path.split("#")[1];
    const input = { token, name: login, password: "quatro palavras sem nexo" };
    await lacre.run(visitor, PERSON_OPERATIONS.invitations.accept, input);
  }
  for (const login of ["eva@loja.pt", "ivo@loja.pt"]) await company.users.invite({ login, role: "cashier" });
}
