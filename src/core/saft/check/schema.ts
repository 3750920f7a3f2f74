/**
 * SAF-T (PT) 1.04_01 as data: the children of each element in order, and the rule for each text. Made from the tax
 * authority's schema (SAFTPT1.04_01.xsd, modified 2022-05-17); its asserts are in asserts.ts, its keys in keys.ts.
 */
import { COUNTRIES, UNKNOWN_COUNTRY } from "../../fiscal/countries.ts";
import { CURRENCIES } from "./currencies.ts";
import { day, dayFrom2000, decimal, integer, moment, oneOf, shaped, text, type ValueRule } from "./values.ts";

/**
 * One line for each kind of element with children; lines that begin with spaces continue it. `?` is none or one, `*`
 * any number, `+` at least one, `A|B` either; `Name=Kind` is an element whose kind has another name.
 */
const CONTENT = `
AuditFile: Header MasterFiles GeneralLedgerEntries? SourceDocuments?
Header: AuditFileVersion CompanyID TaxRegistrationNumber TaxAccountingBasis CompanyName BusinessName?
  CompanyAddress=Address FiscalYear StartDate EndDate CurrencyCode=EUR DateCreated TaxEntity ProductCompanyTaxID
  SoftwareCertificateNumber ProductID ProductVersion HeaderComment? Telephone? Fax? Email? Website?
MasterFiles: GeneralLedgerAccounts? Customer* Supplier* Product* TaxTable?

GeneralLedgerAccounts: TaxonomyReference Account+
Account: AccountID=GLAccountID AccountDescription OpeningDebitBalance OpeningCreditBalance ClosingDebitBalance
  ClosingCreditBalance GroupingCategory GroupingCode=GLAccountID? TaxonomyCode?
Customer: CustomerID AccountID CustomerTaxID CompanyName Contact? BillingAddress=CustomerAddress
  ShipToAddress=CustomerAddress* Telephone? Fax? Email? Website? SelfBillingIndicator
Supplier: SupplierID AccountID SupplierTaxID CompanyName Contact? BillingAddress=Address ShipFromAddress=Address*
  Telephone? Fax? Email? Website? SelfBillingIndicator
Product: ProductType ProductCode ProductGroup? ProductDescription ProductNumberCode CustomsDetails?
CustomsDetails: CNCode* UNNumber*
TaxTable: TaxTableEntry+
TaxTableEntry: TaxType TaxCountryRegion TaxCode=TaxTableCode Description=text255 TaxExpirationDate?
  TaxPercentage|TaxAmount
Address: BuildingNumber? StreetName? AddressDetail City PostalCode Region? Country
CustomerAddress: BuildingNumber? StreetName? AddressDetail City PostalCode Region? Country=CustomerCountry

GeneralLedgerEntries: NumberOfEntries TotalDebit TotalCredit Journal*
Journal: JournalID Description Transaction*
Transaction: TransactionID Period=AccountingPeriod TransactionDate SourceID Description DocArchivalNumber
  TransactionType GLPostingDate CustomerID|SupplierID? Lines
Lines: DebitLine|CreditLine+
DebitLine: RecordID AccountID=GLAccountID SourceDocumentID? SystemEntryDate Description DebitAmount
CreditLine: RecordID AccountID=GLAccountID SourceDocumentID? SystemEntryDate Description CreditAmount

SourceDocuments: SalesInvoices? MovementOfGoods? WorkingDocuments? Payments?

SalesInvoices: NumberOfEntries TotalDebit TotalCredit Invoice*
Invoice: InvoiceNo ATCUD DocumentStatus=InvoiceState Hash HashControl Period? InvoiceDate InvoiceType SpecialRegimes
  SourceID EACCode? SystemEntryDate TransactionID? CustomerID ShipTo=ShippingPoint? ShipFrom=ShippingPoint?
  MovementEndTime? MovementStartTime? Line=InvoiceLine+ DocumentTotals=InvoiceTotals WithholdingTax*
InvoiceState: InvoiceStatus InvoiceStatusDate Reason? SourceID SourceBilling
InvoiceLine: LineNumber OrderReferences* ProductCode ProductDescription Quantity UnitOfMeasure UnitPrice TaxBase?
  TaxPointDate References* Description ProductSerialNumber? DebitAmount|CreditAmount Tax TaxExemptionReason?
  TaxExemptionCode? SettlementAmount? CustomsInformation?
InvoiceTotals: TaxPayable NetTotal GrossTotal Currency? Settlement* Payment=PaymentMethod*

MovementOfGoods: NumberOfMovementLines TotalQuantityIssued StockMovement*
StockMovement: DocumentNumber ATCUD DocumentStatus=MovementState Hash HashControl Period? MovementDate MovementType
  SystemEntryDate TransactionID? CustomerID|SupplierID SourceID EACCode? MovementComments? ShipTo=ShippingPoint?
  ShipFrom=ShippingPoint? MovementEndTime? MovementStartTime ATDocCodeID? Line=MovementLine+ DocumentTotals
MovementState: MovementStatus MovementStatusDate Reason? SourceID SourceBilling
MovementLine: LineNumber OrderReferences* ProductCode ProductDescription Quantity UnitOfMeasure UnitPrice Description
  ProductSerialNumber? DebitAmount|CreditAmount Tax=MovementTax? TaxExemptionReason? TaxExemptionCode?
  SettlementAmount? CustomsInformation?

WorkingDocuments: NumberOfEntries TotalDebit TotalCredit WorkDocument*
WorkDocument: DocumentNumber ATCUD DocumentStatus=WorkState Hash HashControl Period? WorkDate WorkType SourceID
  EACCode? SystemEntryDate TransactionID? CustomerID Line=WorkLine+ DocumentTotals
WorkState: WorkStatus WorkStatusDate Reason? SourceID SourceBilling
WorkLine: LineNumber OrderReferences* ProductCode ProductDescription Quantity UnitOfMeasure UnitPrice TaxBase?
  TaxPointDate References* Description ProductSerialNumber? DebitAmount|CreditAmount Tax? TaxExemptionReason?
  TaxExemptionCode? SettlementAmount? CustomsInformation?
DocumentTotals: TaxPayable NetTotal GrossTotal Currency?

Payments: NumberOfEntries TotalDebit TotalCredit Payment*
Payment: PaymentRefNo ATCUD Period? TransactionID? TransactionDate PaymentType Description? SystemID?
  DocumentStatus=PaymentState PaymentMethod* SourceID SystemEntryDate CustomerID Line=PaymentLine+
  DocumentTotals=PaymentTotals WithholdingTax*
PaymentState: PaymentStatus PaymentStatusDate Reason? SourceID SourcePayment
PaymentLine: LineNumber SourceDocumentID=SettledDocument+ SettlementAmount? DebitAmount|CreditAmount Tax=PaymentTax?
  TaxExemptionReason? TaxExemptionCode?
SettledDocument: OriginatingON InvoiceDate Description?
PaymentTotals: TaxPayable NetTotal GrossTotal Settlement=PaymentSettlement? Currency?
PaymentSettlement: SettlementAmount

Currency: CurrencyCode CurrencyAmount ExchangeRate
CustomsInformation: ARCNo* IECAmount?
MovementTax: TaxType=MovementTaxType TaxCountryRegion TaxCode=MovementTaxCode TaxPercentage
OrderReferences: OriginatingON? OrderDate?
PaymentMethod: PaymentMechanism? PaymentAmount PaymentDate
PaymentTax: TaxType TaxCountryRegion TaxCode=PaymentTaxCode TaxPercentage|TaxAmount
ProductSerialNumber: SerialNumber+
References: Reference? Reason?
Settlement: SettlementDiscount? SettlementAmount? SettlementDate? PaymentTerms?
ShippingPoint: DeliveryID* DeliveryDate? WarehouseID|LocationID|Address=CustomerAddress*
SpecialRegimes: SelfBillingIndicator CashVATSchemeIndicator ThirdPartiesBillingIndicator
Tax: TaxType TaxCountryRegion TaxCode TaxPercentage|TaxAmount
WithholdingTax: WithholdingTaxType? WithholdingTaxDescription? WithholdingTaxAmount
`;

const NUMBER = shaped(/^[^ ]+ [^/^ ]+\/[0-9]+$/, "a code, a space, a series, / and a number", 60);
const INDICATOR = integer(0n, 1n);
const COUNTRY_CODES = [...COUNTRIES].join(" ");

/** The rules for texts, each with its elements. */
const VALUES: readonly (readonly [ValueRule, string])[] = [
  [text(10), "BuildingNumber"],
  [text(20), "Fax PostalCode TaxEntity Telephone UnitOfMeasure"],
  [text(21), "ARCNo"],
  [
    text(30),
    `
      CustomerID CustomerTaxID LocationID ProductCompanyTaxID ProductVersion RecordID SettlementDiscount
      SourceID SupplierID SupplierTaxID`,
  ],
  [text(50), "City Contact ProductGroup Reason Region WarehouseID"],
  [
    text(60),
    `
      BusinessName MovementComments OriginatingON ProductCode ProductNumberCode Reference SourceDocumentID
      SystemID Website WithholdingTaxDescription`,
  ],
  [text(100), "AccountDescription ATCUD CompanyName PaymentTerms SerialNumber"],
  [text(172), "Hash"],
  [text(200), "ATDocCodeID Description StreetName"],
  [text(200, 2), "ProductDescription"],
  [text(210), "AddressDetail"],
  [text(254), "Email"],
  [text(255), "text255 DeliveryID HeaderComment"],
  [text(60, 6), "TaxExemptionReason"],

  [NUMBER, "DocumentNumber InvoiceNo PaymentRefNo"],
  [shaped(/^[^^]*$/, "an account", 30), "AccountID"],
  [shaped(/^[^^]*$/, "an account", 30, 2), "GLAccountID"],
  [shaped(/^1\.04_01$/, "1.04_01", 7), "AuditFileVersion"],
  [shaped(/^(?:(?:[0-9]{9})+|[^^]+ [0-9/]+)$/, "a NIF, or a registry office and a number", 50), "CompanyID"],
  [shaped(/^[^ ]{1,20}$/, "free of spaces", 20), "DocArchivalNumber"],
  [shaped(/^[0-9]{5}$/, "five digits", 5, 5), "EACCode"],
  [shaped(/^[0-9]{8}$/, "eight digits", 8, 8), "CNCode"],
  [shaped(/^[0-9]{4}$/, "four digits", 4, 4), "UNNumber"],
  [shaped(/^[^ ]{1,30}$/, "free of spaces", 30), "JournalID"],
  [shaped(/^[^/]+\/[^/]+$/, "a program, / and its producer", 255, 3), "ProductID"],
  [shaped(/^(?:M[0-9]{2})+$/, "M and two digits", 255), "TaxExemptionCode"],
  [shaped(/^[a-zA-Z0-9.]*$/, "letters, digits and points", 10), "PaymentTaxCode TaxCode TaxTableCode"],
  [
    shaped(/^[1-9][0-9]{3}-[01][0-9]-[0-3][0-9] [^ ]{1,30} [^ ]{1,20}$/, "a date, a journal and an archive number", 70),
    "TransactionID",
  ],
  [
    shaped(
      /^(?:[0-9]+(?:\.[0-9]+)?|[0-9]+-[A-Z]{2}M [^/^ ]+\/[0-9]+|[0-9]+-[A-Z]{2}D [^ ]+ [^/^ ]+\/[0-9]+)$/,
      "a key version, alone or with the number of a copied document",
      70,
    ),
    "HashControl",
  ],

  [
    decimal,
    `
      ClosingCreditBalance ClosingDebitBalance CreditAmount CurrencyAmount DebitAmount ExchangeRate GrossTotal
      IECAmount NetTotal OpeningCreditBalance OpeningDebitBalance PaymentAmount Quantity SettlementAmount
      TaxAmount TaxBase TaxPayable TaxPercentage TotalCredit TotalDebit TotalQuantityIssued UnitPrice
      WithholdingTaxAmount`,
  ],
  [integer(0n), "LineNumber NumberOfEntries NumberOfMovementLines SoftwareCertificateNumber"],
  [integer(1n, 12n), "Period"],
  [integer(1n, 16n), "AccountingPeriod"],
  [integer(1n, 999n), "TaxonomyCode"],
  [integer(2000n, 9999n), "FiscalYear"],
  [integer(100_000_000n, 999_999_999n), "TaxRegistrationNumber"],
  [INDICATOR, "CashVATSchemeIndicator SelfBillingIndicator ThirdPartiesBillingIndicator"],

  [dayFrom2000, "DateCreated EndDate StartDate"],
  [
    day,
    `
      DeliveryDate GLPostingDate InvoiceDate MovementDate OrderDate PaymentDate SettlementDate TaxExpirationDate
      TaxPointDate TransactionDate WorkDate`,
  ],
  [
    moment,
    `
      InvoiceStatusDate MovementEndTime MovementStartTime MovementStatusDate PaymentStatusDate SystemEntryDate
      WorkStatusDate`,
  ],

  [oneOf("EUR"), "EUR"],
  [oneOf(CURRENCIES), "CurrencyCode"],
  [oneOf(COUNTRY_CODES), "Country"],
  [oneOf(`${COUNTRY_CODES} ${UNKNOWN_COUNTRY}`), "CustomerCountry"],
  [oneOf(`${COUNTRY_CODES} PT-AC PT-MA`), "TaxCountryRegion"],
  [oneOf("GR GA GM AR AA AM"), "GroupingCategory"],
  [oneOf("N S A R F"), "InvoiceStatus"],
  [oneOf("FT FS FR ND NC VD TV TD AA DA RP RE CS LD RA"), "InvoiceType"],
  [oneOf("N T A F R"), "MovementStatus"],
  [oneOf("GR GT GA GC GD"), "MovementType"],
  [oneOf("RED INT NOR ISE OUT NS"), "MovementTaxCode"],
  [oneOf("IVA NS"), "MovementTaxType"],
  [oneOf("CC CD CH CI CO CS DE LC MB NU OU PR TB TR"), "PaymentMechanism"],
  [oneOf("N A"), "PaymentStatus"],
  [oneOf("RC RG"), "PaymentType"],
  [oneOf("P S O E I"), "ProductType"],
  [oneOf("P I M"), "SourceBilling SourcePayment"],
  [oneOf("C E F I P R S T"), "TaxAccountingBasis"],
  [oneOf("S M N O"), "TaxonomyReference"],
  [oneOf("IVA IS NS"), "TaxType"],
  [oneOf("N R A J"), "TransactionType"],
  [oneOf("IRS IRC IS"), "WithholdingTaxType"],
  [oneOf("N A F"), "WorkStatus"],
  [oneOf("CM CC FC FO NE OU OR PF DC RP RE CS LD RA"), "WorkType"],
];

/** A place in the order of an element's children. */
export interface Slot {
  /** The kinds of the elements allowed here, by their names. */
  readonly kinds: ReadonlyMap<string, string>;
  readonly isNeeded: boolean;
  readonly repeats: boolean;
}

/** The children of each kind of element, in order. Read for each check, as a start has no use for them. */
export function slotsByKind(): ReadonlyMap<string, readonly Slot[]> {
  const lines = CONTENT.replaceAll("\n  ", " ").split("\n");
  return new Map(
    lines
      .filter((line) => line !== "")
      .map((line) => {
        const [kind = "", slots = ""] = line.split(": ");
        return [kind, slots.split(" ").map(slotOf)];
      }),
  );
}

/** The rule for the text of each kind of element. */
export function rulesByKind(): ReadonlyMap<string, ValueRule> {
  const kindsOf = (text: string) => text.trim().split(/\s+/);
  return new Map(VALUES.flatMap(([rule, kinds]) => kindsOf(kinds).map((kind) => [kind, rule] as const)));
}

function slotOf(text: string): Slot {
  const sign = "?*+".includes(text.slice(-1)) ? text.slice(-1) : "";
  const kinds = new Map<string, string>();
  for (const one of text.slice(0, text.length - sign.length).split("|")) {
    const [name = "", kind = name] = one.split("=");
    kinds.set(name, kind);
  }
  return { kinds, isNeeded: sign === "" || sign === "+", repeats: sign === "*" || sign === "+" };
}
