import { expect, test } from "vitest";
import { readsLikeCertificateLine } from "../../../src/core/fiscal/certificate-line.ts";

test.each([
  "Processado por programa certificado n.º 1234/AT",
  "Abc4-Processado por programa certificado n.º 0000/AT",
  "Emitido por programa certificado",
  "EMITIDO  POR\nPROGRAMA\tCERTIFICADO Nº 12",
  "emitido-por_programa.certificado",
  "Procéssàdo por prógrama certificàdo",
  "Processado por computador, por programa certificado",
  "Ｐｒｏｃｅｓｓａｄｏ ｐｏｒ ｐｒｏｇｒａｍａ ｃｅｒｔｉｆｉｃａｄｏ",
  "Рrосеssаdо роr рrоgrаmа сеrtіfісаdо", // Cyrillic letters among the Latin ones
  "Ρrοcεssαdο pοr prοgrαmα cεrτιficαdο", // Greek ones
  "Pr0ce55ado por pr0grama cert1f1cad0",
  "Pяocessado por pяograma certificado", // letters turned, hooked, barred or from other languages
  "Processado por programa ƈerƭificado",
  "Processado por programa certiſicado",
  "Processado por programa certiғicado",
  "Þrocessado por þrograma certificado",
  "Processado por progr@ma certif!cado", // signs in the place of letters
  "Proce$$ado por programa ¢€rtif|cado",
  "Processado por programa €ertificado",
  "Emitido! por programa! certificado!",
  "pr0grama certificad0 n.º 1234/AT",
  "Processado por pro\u200bgra\u00adma certificado",
  "programa certificado n.º 1234/AT",
  "Programa certificado 1234/AT",
  "Programa informático certificado nº 7",
  "Processado por software certificado n.º 1234/AT",
  "Processado por software certificado",
  "Emitido por aplicação certificada",
  "Emitido pelo programa de faturação certificado n.º 1234",
  "Fatura emitida por software de facturação certificado",
  "Gerado por sistema de faturação certificado",
  "Software certificado pela AT n.º 1234",
  "Software certificado pela Autoridade Tributária e Aduaneira sob o n.º 1234",
  "Certificado n.º 1234/AT",
  "Cert. n.º 1234/AT",
  "Programa n.º 1234/AT",
  "n.º 1234/AT – software certificado",
  "certificado pela AT com o número 1234 / AT",
  "Certificado 1 2 3 4 / A T",
  "Certificado 1234∕АТ", // a division slash and Cyrillic letters
  "P r o c e s s a d o   p o r   s o f t w a r e   c e r t i f i c a d o",
  "Processado por ѕоftԝаrе certificado",
  "Processed by certified program no. 1234/AT",
  "Issued by certified invoicing software",
  "Printed with software certified",
  "Certified software no. 1234",
  "Procesado por programa certificado",
])("reads like the certificate line: %s", (text) => {
  expect(readsLikeCertificateLine(text)).toBe(true);
});

test.each([
  "Obrigado pela sua visita. Trocas até 30 dias com talão.",
  "Certificado de habilitações emitido em 2026",
  "Certificado n.º 1234",
  "Diploma emitido no programa de formação certificada",
  "Emitido em 2026! Programa de fidelização: 10 % @ loja, €5 por compra | certificado de oferta",
  "Licença anual de programa certificado pela AT",
  "Processamento de salários por programa",
  "Licença de software certificado pela nossa empresa, plano 3",
  "Formação em software certificado, 3 horas",
  "Software de faturação certificado: licença de 2026",
  "Implementação de sistema certificado ISO 9001",
  "Impressora e software certificado",
  "Processador de faturas com programa certificado",
  "Impressões do software certificado",
  "Certificado às 10:30. At home",
  "Pescado processado em sistema certificado MSC",
  "Emitido por programa não certificado",
  "Certificado energético n.º SCE0000123456789",
  "Certificado n.º 1234 até 2027",
  "Certificate no. 1234 at reception",
  "Concerto n.º 12/AT",
  "Azulejo ref. 1234/AT",
  "Printed certified copy of the program",
  "Software Certificado, Lda.",
  "Queijo da Serra certificado DOP, 1 kg",
  "Программа сертифицирована",
  "",
])("does not: %s", (text) => {
  expect(readsLikeCertificateLine(text)).toBe(false);
});
