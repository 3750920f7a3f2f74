/** GET /v1/me: the company behind a key, and what the key may do. */
import { PERMISSIONS } from "lacre";
import { expect } from "vitest";
import { apiTest, nothing, scenarios } from "../../support/http.ts";
import { INSTANT, UUID_V7 } from "../../support/shapes.ts";

scenarios("GET /v1/me", nothing, [
  {
    name: "shows the key's company and scopes in full",
    request: "GET /v1/me",
    status: 200,
    is: {
      company: {
        id: expect.stringMatching(UUID_V7),
        name: "Padaria Central, Lda.",
        tax_id: "500000000",
        address: null,
        postal_code: null,
        city: null,
        country: "PT",
        tax_region: "PT",
        time_zone: "Europe/Lisbon",
        cash_vat: false,
        default_exemption_code: null,
        simplified_limit: 1000,
        footer_text: null,
        iban: null,
        accent_color: null,
        prices_with_vat: false,
        language: null,
        due_days: null,
        created_at: expect.stringMatching(INSTANT),
      },
      scopes: [...PERMISSIONS],
    },
    answers: { "content-type": /^application\/json/ },
  },
  {
    name: "takes no query",
    request: "GET /v1/me?company=1",
    status: 400,
    code: "invalid_request",
    says: "company",
  },
  { name: "HEAD tells the same without a body", request: "HEAD /v1/me", status: 200, is: "" },
]);

apiTest("a key with a single scope shows that scope alone", async (api) => {
  for (const scope of PERMISSIONS) {
    const { status, body } = await api.call("GET", "/v1/me", { key: await api.keyWith(scope) });
    expect(status).toBe(200);
    expect(body).toMatchObject({ scopes: [scope] });
  }
});

apiTest("shows the company as it was last changed", async (api) => {
  const fields = {
    name: "Padaria do Norte, Lda.",
    tax_id: "501964843",
    address: "Rua A\n1.º Esq.",
    postal_code: "9500-100",
    city: "Ponta Delgada",
    country: "PT",
    tax_region: "PT-AC",
    time_zone: "Atlantic/Azores",
    cash_vat: true,
    default_exemption_code: "M01",
  } as const;
  await api.lacre.companies.change({ id: api.company_id, ...fields });
  const { body } = await api.call("GET", "/v1/me");
  expect(body).toMatchObject({ company: { id: api.company_id, ...fields } });
});

apiTest("each key sees its own company", async (api) => {
  const stranger = await api.stranger();
  const { body } = await api.call("GET", "/v1/me", { key: stranger.api_key });
  expect(body).toMatchObject({ company: { id: stranger.company_id, name: "Outra, S.A." } });
});
