// Answers a JSON of 1 kB.
import { createServer } from 'node:http';

const body = JSON.stringify({ text: 'x'.repeat(1000) });
const server = createServer((_req, res) => {
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  res.end(body);
});
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.once('disconnect', () => process.exit(0));
