/** Verifying beside a server: what is written meanwhile is no finding. */
import { openLacre } from "lacre";
import { expect, test } from "vitest";
import { DRIVERS, TODAY } from "../../support/drivers.ts";
import { aCustomer, aLine, anInvoice, aPayment } from "../../support/factories.ts";
import { anInstanceOnFile } from "../../support/instance.ts";

const RUNS = process.env.LACRE_LONG ? 100 : 5;

test.each(DRIVERS)(
  `nothing is found in ${RUNS} runs beside one that issues, pays, voids and cancels, over $name`,
  async (driver) => {
    const instance = await anInstanceOnFile(driver);
    const beside = await openLacre({ dialect: driver.dialect(instance.file), migrate: false });
    const auditor = beside.as(instance.company_id);
    const customer_id = (await aCustomer(instance)).id;
    const lines = [aLine()];
    for (let i = 0; i < 100; i++) await anInvoice(instance, { customer_id, lines });

    let isOver = false;
    let written = 0;
    const shop = async () => {
      for (let n = 0; !isOver; n++) {
        instance.wait(10);
        const payments = n % 3 === 0 ? [{ amount: 1, method_code: "NU" as const, payment_date: TODAY }] : [];
        const invoice = await anInvoice(instance, { customer_id, lines, payments });
        if (payments.length === 0) {
          const payment = await aPayment(instance, invoice, 1);
          await instance.company.payments.void({ id: payment.id });
          await instance.company.documents.cancel({ id: invoice.id });
        }
        await instance.company.customers.change({ id: customer_id, city: `Porto ${n}` });
        written++;
        await new Promise((resolve) => setTimeout(resolve, 50)); // each turn that others take lengthens a run
      }
    };
    const running = shop();
    for (let run = 0; run < RUNS || written < 20; run++) {
      const report = await auditor.series.verify();
      const inSeries = report.series.flatMap(({ finding }) => finding ?? []);
      expect([...report.findings, ...inSeries], `run ${run}`).toEqual([]);
      expect((await beside.installation.verify()).findings).toEqual([]);
    }
    isOver = true;
    await running;
    await beside.close();
  },
);
