import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { customer } from './customer.js';
import { openLedger } from './ledger.js';
import { paymentServer } from './server.js';

// `--serve` keeps the API up on PORT (default 3001); without it, a customer pays ten times over a server that books
// every payment and then loses the first answer.
const isServing = process.argv.includes('--serve');
const ledger = await openLedger(process.env);
const server = paymentServer(ledger, { lossy: !isServing });
server.listen(isServing ? Number(process.env['PORT'] ?? 3001) : 0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

if (isServing) {
  console.log(`payments on ${url}, keys in ${ledger.kind}`);
} else {
  const before = await ledger.count();
  const shop = customer(url);
  const rows = [];
  for (let i = 1; i <= 10; i++) {
    const { payment, attempts } = await shop.pay(`account-${i}`, i * 10);
    rows.push({ payment: payment.id.slice(0, 8), amount: payment.amount, attempts });
  }
  console.table(rows);
  const booked = (await ledger.count()) - before;
  console.log(`keys in ${ledger.kind}: 10 payments, every first answer lost, ${booked} booked`);
  await shop.close();
  server.close();
  server.closeAllConnections();
  await ledger.close();
  process.exitCode = booked === 10 ? 0 : 1;
}
