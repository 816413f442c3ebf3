// What eslint looks for: mistakes, not taste. Needs nothing but eslint itself.

const browser = [
  "Blob", "CanvasRenderingContext2D", "DecompressionStream", "ResizeObserver", "Response", "URLSearchParams", "atob",
  "document", "getComputedStyle", "location", "matchMedia", "performance", "requestAnimationFrame", "window",
];

const mistakes = {
  "array-callback-return": "error", "constructor-super": "error", "eqeqeq": ["error", "always", { null: "ignore" }],
  "for-direction": "error", "getter-return": "error", "no-class-assign": "error", "no-cond-assign": "error",
  "no-const-assign": "error", "no-constant-condition": "error", "no-dupe-args": "error", "no-dupe-class-members": "error",
  "no-dupe-else-if": "error", "no-dupe-keys": "error", "no-duplicate-case": "error", "no-duplicate-imports": "error",
  "no-empty": "error", "no-fallthrough": "error", "no-implied-eval": "error", "no-eval": "error", "no-func-assign": "error",
  "no-import-assign": "error", "no-loss-of-precision": "error", "no-redeclare": "error", "no-self-assign": "error",
  "no-shadow": "error", "no-sparse-arrays": "error", "no-this-before-super": "error", "no-undef": "error",
  "no-unreachable": "error", "no-unsafe-negation": "error", "no-unused-private-class-members": "error",
  "no-unused-vars": ["error", { ignoreRestSiblings: true }], "no-use-before-define": ["error", { functions: false, classes: false }],
  "no-var": "error", "prefer-const": "error", "use-isnan": "error", "valid-typeof": "error",
};

export default [
  { ignores: ["node_modules/"] },
  { files: ["src/**/*.js"], languageOptions: { globals: Object.fromEntries(browser.map((name) => [name, "readonly"])) } },
  { files: ["test/**/*.js", "*.mjs"], languageOptions: { globals: { URL: "readonly", process: "readonly", Buffer: "readonly" } } },
  { rules: mistakes },
];
