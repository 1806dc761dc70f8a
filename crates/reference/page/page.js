// Owns how the reference is drawn: Scalar with everything switched off that would leave this page.
"use strict";

(() => {
  const content = JSON.parse(document.getElementById("document").textContent);

  // From a server, samples name that server first; from a folder, what the document names.
  const served = /^https?:$/.test(location.protocol);
  const servers = content.servers ?? [];
  if (served) {
    content.servers = [{ url: location.origin, description: "The service that serves this page." }, ...servers];
  }

  // What a key looks like is told by the document; samples show it in its place.
  const schemes = content.components?.securitySchemes ?? {};
  const bearers = Object.entries(schemes).filter(([, scheme]) => scheme.scheme?.toLowerCase() === "bearer");
  const securitySchemes = Object.fromEntries(bearers.map(([name, { bearerFormat }]) => [name, { token: bearerFormat }]));

  Scalar.createApiReference("#reference", {
    content,
    authentication: { preferredSecurityScheme: bearers[0]?.[0], securitySchemes },
    theme: "none",
    withDefaultFonts: false,
    favicon: document.querySelector("link[rel=icon]").href,
    // As the document writes them: `textSnippets`, where Scalar would make `textsnippets` of it.
    generateTagSlug: ({ name }) => name,
    generateOperationSlug: ({ operationId, method, path }) => operationId ?? `${method.toLowerCase()}${path}`,
    showOperationId: true,
    orderSchemaPropertiesBy: "preserve",
    defaultOpenAllTags: true,
    expandAllSchemaProperties: true,
    documentDownloadType: "none",
    // Requests are not made from here, nothing is reported, and no other service is offered.
    hideTestRequestButton: true,
    hideClientButton: true,
    showDeveloperTools: "never",
    telemetry: false,
    persistAuth: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    externalUrls: {},
  });
})();
