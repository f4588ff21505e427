declare module 'koa2' {
  const Koa2: unknown;
  export default Koa2;
}
