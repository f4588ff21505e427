import { flakyServer, withForcedOpen } from '@spillway/testing';
import request from 'supertest';
import { createApp } from '../app.js';

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

test('The route answers degraded while the breaker of quotes is open, and fresh afterwards.', async () => {
  await withForcedOpen(spillway, 'quotes', async () => {
    const answer = await request(app).get('/price/ACME').expect(200);
    expect(answer.body).toEqual({ price: null, degraded: true });
  });
  expect(quotes.count()).toBe(0);
  const answer = await request(app).get('/price/ACME').expect(200);
  expect(answer.body).toEqual({ price: 42 });
});
