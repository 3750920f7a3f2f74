import { expect, test } from "vitest";
import { faultOfAddress, isPublicAddress } from "../../../src/core/webhooks/address.ts";
import { t } from "../../../src/core/webhooks/refusals.ts";

test.each([
  ["this machine", ["127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "::1", "::"]],
  ["private networks", ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fdff::1", "fec0::1"]],
  ["the link, and the data of cloud machines", ["169.254.169.254", "169.254.0.1", "fe80::1", "fd00:ec2::254"]],
  ["carriers and documentation", ["100.64.0.1", "192.0.0.8", "192.0.2.1", "198.51.100.1", "203.0.113.7", "198.18.0.1"]],
  ["many machines at once", ["224.0.0.1", "239.255.255.255", "255.255.255.255", "240.0.0.1", "ff02::1"]],
  [
    "addresses that hold another",
    ["::ffff:127.0.0.1", "::ffff:7f00:1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1", "2002:7f00:1::", "2001::1"],
  ],
  ["documentation of IPv6, and what is not given out", ["2001:db8::1", "3fff::1", "4000::1", "100::1", "5f00::1"]],
  ["no address", ["", "localhost", "127.1", "2130706433", "0x7f.1", "example.com", "1.2.3.4.5"]],
])("%s are not public: %j", (_, addresses) => {
  for (const address of addresses) expect([address, isPublicAddress(address)]).toEqual([address, false]);
});

test("the internet's assigned addresses are public, up to the edges", () => {
  for (const address of [
    "1.1.1.1",
    "9.255.255.255",
    "11.0.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "193.136.2.1",
    "223.255.255.255",
    "2001:4860:4860::8888",
    "2606:4700::1111",
    "2a00:1450::1",
  ]) {
    expect([address, isPublicAddress(address)]).toEqual([address, true]);
  }
});

test.each([
  ["https://example.com/hook?x=1", undefined],
  ["https://EXAMPLE.com:8443/", undefined],
  ["https://1.1.1.1/", undefined],
  ["https://[2606:4700::1111]/", undefined],
  ["http://example.com/", "must_be_https"],
  ["ftp://example.com/", "must_be_web_address"],
  ["file:///etc/passwd", "must_be_web_address"],
  ["javascript:alert(1)", "must_be_web_address"],
  ["example.com", "must_be_web_address"],
  ["https://", "must_be_web_address"],
  ["https://user:pw@example.com/", "must_be_web_address"],
  ["https://example.com/#x", "must_be_web_address"],
  ["https://127.0.0.1/", "must_be_public_address"],
  ["https://2130706433/", "must_be_public_address"],
  ["https://0177.0.0.1/", "must_be_public_address"],
  ["https://0x7f000001/", "must_be_public_address"],
  ["https://127.1/", "must_be_public_address"],
  ["https://127.0.0.1./", "must_be_public_address"],
  ["https://①②⑦.0.0.1/", "must_be_public_address"],
  ["https://10.1.2.3/", "must_be_public_address"],
  ["https://169.254.169.254/latest/meta-data", "must_be_public_address"],
  ["https://[::1]/", "must_be_public_address"],
  ["https://[::ffff:127.0.0.1]/", "must_be_public_address"],
  ["https://[::ffff:1.1.1.1]/", "must_be_public_address"],
  ["https://localhost/", "must_be_public_address"],
  ["https://LOCALHOST./", "must_be_public_address"],
  ["https://a.localhost/", "must_be_public_address"],
  ["https://printer/", "must_be_public_address"],
  ["https://nas.local/", "must_be_public_address"],
  ["https://db.internal./", "must_be_public_address"],
  ["https://router.home.arpa/", "must_be_public_address"],
] as const)("%s: %s", (url, fault) => {
  expect(faultOfAddress(url, false)).toBe(fault && t[fault]);
});

test("if the operator allows private networks, they and plain HTTP will do; what is no web address will not", () => {
  for (const url of ["http://127.0.0.1:8080/", "https://nas.local/", "http://printer/", "https://example.com/"]) {
    expect(faultOfAddress(url, true)).toBeUndefined();
  }
  expect(faultOfAddress("file:///etc/passwd", true)).toBe(t.must_be_web_address);
});
