export { type Dashboard, dashboard } from './dashboard.js';
export type { DashboardOptions } from './options.js';
