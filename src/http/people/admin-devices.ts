// /admin/v1/members/{id}/devices: the agents that a person signed in, for that person and those who see members.
import { Elysia } from "elysia";
import type { DeviceParts } from "../../admin/people/device-codes.ts";
import { deviceSchema, devicesSchema, endDevice, listDevices } from "../../admin/people/devices.ts";
import { createOperatorHooks, type WritingParts } from "../admin-route.ts";
import { returnsBody } from "../openapi/route-schema.ts";
import { readOperator } from "./operator.ts";

export function deviceAdminRoutes(operator: WritingParts, parts: DeviceParts) {
  const { reads } = createOperatorHooks(operator, "People");
  return new Elysia({ prefix: "/admin/v1" })
    .get(
      "/members/:id/devices",
      ({ params: { id }, request }) => listDevices(parts, readOperator(request).access, id),
      {
        ...reads(
          "agents.read",
          "listDevices",
          "List the agents that a person signed in, those used last first",
        ),
        response: returnsBody(devicesSchema),
      },
    )
    .delete(
      "/members/:id/devices/:device",
      ({ params: { id, device }, request }) => endDevice(parts, readOperator(request).access, id, device),
      {
        ...reads("agents.read", "endDevice", "End an agent's sign-in"),
        response: returnsBody(deviceSchema),
      },
    );
}
