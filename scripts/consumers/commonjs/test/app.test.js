const request = require('supertest');
const { flakyServer, withForcedOpen } = require('@spillway/testing');
const { createApp } = require('../app.js');

let quotes;
let app;
let spillway;

beforeAll(async () => {
  quotes = await flakyServer({ body: { price: 42 } });
  ({ app, spillway } = createApp(quotes.url));
});

afterAll(async () => {
  await spillway.close();
  await quotes.close();
});

test('The route answers with the price while quotes is well.', async () => {
  const answer = await request(app).get('/price/ACME').expect(200);
  expect(answer.body).toEqual({ price: 42 });
  expect(quotes.count('/v1/ACME')).toBe(1);
});

test('The route answers degraded while the breaker of quotes is open, and quotes is left alone.', async () => {
  const before = quotes.count();
  await withForcedOpen(spillway, 'quotes', async () => {
    const answer = await request(app).get('/price/ACME').expect(200);
    expect(answer.body).toEqual({ price: null, degraded: true });
  });
  expect(quotes.count()).toBe(before);
  const answer = await request(app).get('/price/ACME').expect(200);
  expect(answer.body).toEqual({ price: 42 });
});

test('A route without a fallback answers 503 and says when to come back.', async () => {
  await withForcedOpen(spillway, 'quotes', async () => {
    const answer = await request(app).get('/strict/ACME').expect(503);
    expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
  });
});
