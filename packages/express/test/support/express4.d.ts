declare module 'express4' {
  const express4: unknown;
  export default express4;
}
